#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile hostfile --num_nodes 2 --num_gpus 2 train.py --deepspeed --deepspeed_config ds_config.json
