#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   ./build.sh          installs what is missing and builds into _build/
#   ./build.sh demo     … and runs the main job on real data
#   ./build.sh check    … and runs every test
#
# Running it again does only what has not been done.

set -eu
source_dir=$(cd "$(dirname "$0")" && pwd)
cd "$source_dir"
jobs=${CANDELA_JOBS:-2}

packages="gcc g++ make libc6-dev autoconf automake libtool autoconf-archive pkgconf xz-utils
  libglib2.0-dev libjson-glib-dev libzip-dev libopenblas-dev libdnnl-dev libsleef-dev libkissfft-dev
  libgraphviz-dev libffi-dev
  gobject-introspection libgirepository1.0-dev gir1.2-glib-2.0 gi-docgen
  python3 python3-gi python3-numpy python3-venv gjs valac"

# Those that dpkg does not know as installed; all of them where there is no dpkg.
missing_packages ()
{
  installed=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' $packages 2> /dev/null || true)"
  for package in $packages; do
    case $installed in
      *" $package:installed "*) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

install_packages ()
{
  # For a system that has it all under other names.
  [ -z "${CANDELA_NO_INSTALL-}" ] || return 0
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0

  as_root=
  if ! command -v apt-get > /dev/null; then
    cat >&2 << END
build.sh: this system has no apt-get. Install what these packages of Debian have:
 $missing
and run build.sh again with CANDELA_NO_INSTALL=1.
END
    exit 1
  elif [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "build.sh: not root, and no sudo. Install these packages, then run build.sh again:$missing" >&2
      exit 1
    fi
    as_root=sudo
  fi
  echo "build.sh: installing$missing"
  $as_root apt-get update -q
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

build ()
{
  # Once there, the makefile makes itself and configure anew when they are old.
  if [ ! -f configure ] || [ ! -f Makefile.in ] || [ ! -f build-aux/ltmain.sh ]; then
    autoreconf -i
  fi
  mkdir -p _build
  if [ ! -f _build/Makefile ]; then
    (cd _build && ../configure)
  fi
  make -C _build -j"$jobs" --no-print-directory
}

check ()
{
  # Old results must not be counted if a test no longer compiles.
  find _build/tests -name '*.trs' -exec rm -f {} +
  status=0
  make -C _build -j"$jobs" --no-print-directory -k check || status=$?
  sh tests/sum-results "$status" _build/tests
}

case ${1-} in
  "" | demo | check) ;;
  *)
    echo "usage: $0 [demo | check]" >&2
    exit 2
    ;;
esac

install_packages
build
case ${1-} in
  demo) exec sh examples/demo.sh ;;
  check) check ;;
esac
