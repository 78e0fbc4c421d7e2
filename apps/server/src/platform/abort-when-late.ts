/** Waits for what ends by a signal, and aborts it when it takes longer than so many milliseconds. */
export async function abortWhenLate<T>(
  over: AbortController,
  timeoutMs: number,
  reason: Error,
  waited: Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => over.abort(reason), timeoutMs);
  return waited.finally(() => clearTimeout(timer));
}

/** A body as it comes, aborted when nothing of it comes for so long. The time that its reader takes does not count. */
export async function* abortWhenSilent(
  over: AbortController,
  idleMs: number,
  reason: Error,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await abortWhenLate(over, idleMs, reason, pieces.next());
    if (next.done === true) return;
    yield next.value;
  }
}
