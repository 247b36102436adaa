# What is given to others: an archive of the sources, and the record of the ABI.

.PHONY: dist abi
dist:
	@mkdir -p '$(BUILD)'
	@sh $(S).build/dist.sh '$(or $(S),.)' '$(version)' '$(BUILD)/xcoll-$(version).tar.gz'

abi: $(library)
	@BUILD='$(abspath $(BUILD))' SRC='$(abspath $(or $(S),.))' bash $(S)tests/abi/dump.sh write
