# npm run bench: what the panel costs beside the raw tools, on this machine and in the lab's. Arguments name parts: host, watch, relay, failover, protection, windows, sign-in, lab, boot.
. "$(dirname "$0")/../../packaging/run/prepare.sh"
need_tools ip=iproute2 unshare=util-linux nft=nftables \
  qemu-system-x86_64=qemu-system-x86 qemu-img=qemu-utils debootstrap=debootstrap busybox=busybox-static cpio=cpio || true
prepare
exec node_modules/.bin/tsx test/bench/run.ts "$@"
