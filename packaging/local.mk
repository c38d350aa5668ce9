pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = packaging/collprof.pc packaging/collprof-static.pc

install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(datadir)/modulefiles/collprof"
	$(INSTALL_DATA) packaging/modulefile "$(DESTDIR)$(datadir)/modulefiles/collprof/$(VERSION)"
uninstall-modulefile:
	rm -f "$(DESTDIR)$(datadir)/modulefiles/collprof/$(VERSION)"

EXTRA_DIST += packaging/README.md packaging/spack/package.py packaging/debian

THOROUGH_TESTS += tests/outside/compilers.sh
