/** The elements of a list, page by page, each as JSON. */
export type ListPages = AsyncIterable<readonly string[]>;

/**
 * Yields a JSON object piece by piece.
 * @param fields reads each field when the pieces before it have been taken: a value, or a list in pages
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
