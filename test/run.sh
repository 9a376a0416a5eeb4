# npm test: every tier that needs no machine of its own; npm run test:all: those too, which is what CI runs. With CI=true
# a tier that cannot run is a failure.
. "$(dirname "$0")/../packaging/run/prepare.sh"

# What each tier needs beside Node: the tool, and the package of Debian that has it.
tools_of() {
  case "$1" in
    unit) echo openssl=openssl ;;
    api) echo curl=curl dnsmasq=dnsmasq-base unshare=util-linux ;;
    netns) echo nft=nftables iptables=iptables ip=iproute2 unshare=util-linux socat=socat strace=strace ping=iputils-ping dnsmasq=dnsmasq-base ;;
    ui) echo chromium=chromium ;;
    package) echo dpkg-buildpackage=dpkg-dev dh=debhelper lintian=lintian man=man-db prometheus=prometheus gpg=gpg ;;
    vm) echo ip=iproute2 qemu-system-x86_64=qemu-system-x86 qemu-img=qemu-utils \
      debootstrap=debootstrap busybox=busybox-static cpio=cpio xz=xz-utils mke2fs=e2fsprogs depmod=kmod \
      gcc=gcc make=make flex=flex bison=bison bc=bc $(tools_of package) ;;
    arm64) echo qemu-system-aarch64=qemu-system-arm aarch64-linux-gnu-g++=g++-aarch64-linux-gnu ;;
    story) echo "$(tools_of vm) $(tools_of ui) nft=nftables socat=socat" ;;
  esac
}

case "${1:-}" in
  '') tiers="unit api netns ui package" ;;
  quick) tiers="unit api" ;;
  all) tiers="unit api netns node ui package vm story" ;;
  soak) tiers="unit api netns ui package vm story arm64" ;;
  *) tiers=$* ;;
esac
tools=""
for tier in $tiers; do tools="$tools $(tools_of "$tier")"; done
# A tier whose tools cannot be installed says so itself.
# shellcheck disable=SC2086
need_tools $tools || true
# Quicker than chromium itself, in whose place the tests take it where there is one.
case "$tools" in *chromium*) need_tools chromium-headless-shell=chromium-headless-shell || true ;; esac
prepare
exec node_modules/.bin/tsx test/run.ts "$@"
