// SPDX-License-Identifier: Apache-2.0
// A program of one room and of the rooms that src/rooms.txt allows it: the test is that it links.
int main() { return 0; }
