export type ReadPage<Row> = (last: Row | undefined, size: number) => Promise<readonly Row[]>;

/**
 * Yields rows page by page, so that only one page is in memory while a client reads slowly.
 * @param readPage reads a limited number of rows after the last one, or the first ones
 */
export async function* streamPages<Row>(
  { size, most }: { size: number; most: number },
  readPage: ReadPage<Row>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  for (let count = 0; count < most; count += size) {
    const rows = await readPage(last, size);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < size) return;
  }
}
