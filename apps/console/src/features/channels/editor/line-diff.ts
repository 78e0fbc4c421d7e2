interface ChangedLine {
  sign: '-' | '+';
  /** Line number from 0, in the text before or after the change. */
  line: number;
  text: string;
}

/** Returns the removed and added lines in order, without the unchanged ones. */
export function diffLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const lines = different(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return lines.map((changed) => ({ ...changed, line: changed.line + start }));
}

/** Compares the lines by their longest common subsequence; `common[i][j]` is its length from i and j on. */
function different(before: readonly string[], after: readonly string[]): ChangedLine[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [gone, came] = [before[i], after[j]];
    if (gone !== undefined && gone === came) {
      i += 1;
      j += 1;
    } else if (gone !== undefined && (came === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', line: i, text: gone });
      i += 1;
    } else {
      lines.push({ sign: '+', line: j, text: came ?? '' });
      j += 1;
    }
  }
  return lines;
}
