/** Bounds of an event in a run of them: events are separated by an empty line; lines end with LF or CRLF. */
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Returns the position after the empty line that ends the event. */
export function endOfEvent(text: string, at: number): number {
  for (let end = text.indexOf('\n', at); end !== -1; end = text.indexOf('\n', end + 1)) {
    const next = text.charCodeAt(end + 1);
    if (next === LINE_FEED) return end + 2;
    if (next === CARRIAGE_RETURN && text.charCodeAt(end + 2) === LINE_FEED) return end + 3;
  }
  return text.length;
}

/** Returns the position of the event's first line. */
export function startOfEvent(text: string, at: number): number {
  let line = startOfLine(text, at);
  while (line > 1 && !isBehindEmptyLine(text, line)) line = startOfLine(text, line - 2);
  return line;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at) + 1;
}

function isBehindEmptyLine(text: string, line: number): boolean {
  const before = text.charCodeAt(line - 2);
  return before === LINE_FEED || (before === CARRIAGE_RETURN && text.charCodeAt(line - 3) === LINE_FEED);
}
