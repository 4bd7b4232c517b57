mpirun -np 16 -hostfile hosts python train.py --host 10.0.0.1 --port 29500
