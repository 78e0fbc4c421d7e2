/** "Nothing for the client yet", without an allocation. */
export const noBytes = Buffer.alloc(0);
