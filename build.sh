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
# The default width stays at two: the tests measure nothing, but share memory.
jobs=${CANDELA_JOBS:-2}

packages="gcc make libc6-dev autoconf automake libtool autoconf-archive pkg-config xz-utils
  libglib2.0-dev libjson-glib-dev libzip-dev libopenblas-dev libgraphviz-dev
  gobject-introspection libgirepository1.0-dev gir1.2-glib-2.0 gi-docgen
  python3 python3-gi python3-numpy gjs valac"

install_packages ()
{
  if ! command -v dpkg > /dev/null || ! command -v apt-get > /dev/null; then
    # Elsewhere the names differ and may be there already: configure says.
    if [ -x _build/config.status ] || command -v autoreconf > /dev/null && pkg-config --exists gio-2.0 2> /dev/null; then
      return
    fi
    echo "build.sh: install what these Debian packages have, then run build.sh again:" $packages >&2
    exit 1
  fi

  missing=
  for package in $packages; do
    dpkg -s "$package" 2> /dev/null | grep -q '^Status: install ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0

  as_root=
  if [ "$(id -u)" -ne 0 ]; then
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
  sh tests/sum-results _build/tests || status=1
  return "$status"
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
