"""The coordinator of the benchmark; see bench/README.md."""
