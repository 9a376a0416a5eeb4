# npm run lab: a Debian 13 machine with GRE and the built panel inside, and the address to open.
. "$(dirname "$0")/prepare.sh"
need_tools qemu-system-x86_64=qemu-system-x86 qemu-img=qemu-utils debootstrap=debootstrap busybox=busybox-static cpio=cpio xz=xz-utils mke2fs=e2fsprogs
prepare
exec node_modules/.bin/tsx packaging/run/lab.ts
