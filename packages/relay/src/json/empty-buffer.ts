/** "Nothing for the client yet", without an allocation. */
export const emptyBuffer = Buffer.alloc(0);
