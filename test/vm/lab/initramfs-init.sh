#!/bin/busybox sh
# The whole initramfs: load the one driver that the disk needs, mount it, hand over.
/bin/busybox mount -t devtmpfs none /dev
/bin/busybox insmod /virtio_blk.ko
until [ -b /dev/vda ]; do /bin/busybox sleep 0.05; done
/bin/busybox mount -t ext4 /dev/vda /root
/bin/busybox umount /dev
exec /bin/busybox switch_root /root /sbin/init
