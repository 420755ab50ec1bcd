// SPDX-License-Identifier: Apache-2.0
// open_mpi COLLECTIVE BYTES: calls a collective with so much data, counted as weft does, and prints
// whether Open MPI carried it out or refused.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int call(const char* name, int bytes, int ranks, char* from, char* to) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const MPI_Datatype byte = MPI_UNSIGNED_CHAR;
  int* shares = malloc(sizeof(int) * (size_t)ranks);
  for (int i = 0; i < ranks; ++i) shares[i] = bytes / ranks;
  int status = MPI_ERR_ARG;
  if (strcmp(name, "allgather") == 0)
    status = MPI_Allgather(from, bytes / ranks, byte, to, bytes / ranks, byte, all);
  if (strcmp(name, "allreduce") == 0) status = MPI_Allreduce(from, to, bytes, byte, MPI_SUM, all);
  if (strcmp(name, "alltoall") == 0) status = MPI_Alltoall(from, bytes, byte, to, bytes, byte, all);
  if (strcmp(name, "barrier") == 0) status = MPI_Barrier(all);
  if (strcmp(name, "broadcast") == 0) status = MPI_Bcast(from, bytes, byte, 0, all);
  if (strcmp(name, "gather") == 0) status = MPI_Gather(from, bytes, byte, to, bytes, byte, 0, all);
  if (strcmp(name, "reduce") == 0) status = MPI_Reduce(from, to, bytes, byte, MPI_SUM, 0, all);
  if (strcmp(name, "reduce_scatter") == 0)
    status = MPI_Reduce_scatter(from, to, shares, byte, MPI_SUM, all);
  if (strcmp(name, "scatter") == 0) status = MPI_Scatter(from, bytes, byte, to, bytes, byte, 0, all);
  free(shares);
  return status;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int bytes = atoi(argv[2]);
  char* from = calloc((size_t)ranks, (size_t)bytes + 1);
  char* to = calloc((size_t)ranks, (size_t)bytes + 1);
  const int status = call(argv[1], bytes, ranks, from, to);
  if (rank == 0) puts(status == MPI_SUCCESS ? "done" : "refused");
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
