# npm test: every tier, on whatever machine this is. With CI=true a tier that cannot run is a failure.
. "$(dirname "$0")/../packaging/run/prepare.sh"
need_tools nft=nftables iptables=iptables ip=iproute2 unshare=util-linux socat=socat strace=strace ping=iputils-ping chromium=chromium dpkg-buildpackage=dpkg-dev dh=debhelper lintian=lintian man=man-db prometheus=prometheus dnsmasq=dnsmasq-base \
  qemu-system-x86_64=qemu-system-x86 qemu-img=qemu-utils debootstrap=debootstrap busybox=busybox-static cpio=cpio xz=xz-utils mke2fs=e2fsprogs \
  gcc=gcc make=make flex=flex bison=bison bc=bc \
  qemu-system-aarch64=qemu-system-arm aarch64-linux-gnu-g++=g++-aarch64-linux-gnu depmod=kmod || true
# Quicker than chromium itself, in whose place the tests take it where it is there.
need_tools chromium-headless-shell=chromium-headless-shell || true
prepare
exec node_modules/.bin/tsx test/run.ts "$@"
