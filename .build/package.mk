# What is given to others: an archive of the sources, packages, and the record of the ABI.

.PHONY: dist distcheck reproducible abi deb spack
dist:
	@mkdir -p '$(BUILD)'
	@sh $(S).build/dist.sh '$(or $(S),.)' '$(version)' '$(BUILD)/xcoll-$(version).tar.gz'

distcheck: dist
	@CC='$(CC)' CXX='$(CXX)' sh $(S).build/distcheck.sh '$(BUILD)/xcoll-$(version).tar.gz' '$(version)' '$(BUILD)/distcheck'

# Everything is compiled twice, in two places; the test of the same name compiles a few files.
reproducible: all
	@BUILD='$(abspath $(BUILD))' SRC='$(abspath $(or $(S),.))' bash $(S)tests/house/reproducible.sh all

# A repository for Spack with the recipe of this archive: spack repo add $(BUILD)/spack && spack install xcoll
spack: dist
	@sh $(S).build/spack.sh '$(BUILD)/xcoll-$(version).tar.gz' '$(version)' '$(or $(S),.)' '$(BUILD)/spack'

abi: $(library)
	@BUILD='$(abspath $(BUILD))' SRC='$(abspath $(or $(S),.))' bash $(S)tests/abi/dump.sh write

# Packages for this machine's Debian, in $(BUILD)/deb.
multiarch = $(shell dpkg-architecture -q DEB_HOST_MULTIARCH 2>/dev/null || $(CC) -print-multiarch)
deb: all
	@rm -rf '$(BUILD)/deb' && mkdir -p '$(BUILD)/deb'
	@+$(MAKE) -f '$(main)' BUILD='$(BUILD)' install prefix=/usr exec_prefix=/usr libdir='/usr/lib/$(multiarch)' modulefiles= \
	  DESTDIR='$(abspath $(BUILD))/deb/tree' >'$(BUILD)/deb/install.log'
	@sh $(S).build/deb.sh '$(BUILD)/deb/tree' '$(version)' '$(or $(S),.)' '$(BUILD)/deb'
