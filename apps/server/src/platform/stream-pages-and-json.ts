/** Streams rows page by page, and JSON objects with lists of them. */

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

/** Elements of a list in pages, each as JSON. */
type ListPages = AsyncIterable<readonly string[]>;

/**
 * Yields a JSON object piece by piece.
 * @param fields reads each field when the previous pieces have been consumed: a value, or a list in pages
 */
export async function* streamJson(
  fields: Readonly<Record<string, () => Promise<unknown> | ListPages>>,
): AsyncGenerator<string> {
  let before = '{';
  for (const [name, read] of Object.entries(fields)) {
    const field = read();
    const start = `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (field instanceof Promise) yield start + JSON.stringify(await field);
    else yield* streamList(start, field);
  }
  yield before === '{' ? '{}' : '}';
}

async function* streamList(start: string, pages: ListPages): AsyncGenerator<string> {
  let before = `${start}[`;
  for await (const page of pages)
    if (page.length > 0) {
      yield before + page.join(',');
      before = ',';
    }
  yield before === ',' ? ']' : `${before}]`;
}

/** Yields rows as JSON. */
export async function* serializePages(pages: AsyncIterable<readonly unknown[]>): ListPages {
  for await (const rows of pages) yield rows.map((row) => JSON.stringify(row));
}
