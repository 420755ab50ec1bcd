// SPDX-License-Identifier: Apache-2.0
// A program of all of one room, and of whatever it uses of the rooms that src/rooms.txt allows it:
// that it links is the test.
int main() { return 0; }
