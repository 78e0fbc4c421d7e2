import type { ApplyMode, CatalogueLine } from '@switchyard/contract/catalogue';

const kindsOf: Record<ApplyMode, readonly CatalogueLine['kind'][]> = {
  add: ['added'],
  update: ['added', 'changed'],
  overwrite: ['added', 'changed', 'gone'],
};

/** Whether the mode is about such lines. */
export function isCovered({ kind }: CatalogueLine, mode: ApplyMode): boolean {
  return kindsOf[mode].includes(kind);
}

/** Whether the line can be approved at all. */
export function isOpen(line: CatalogueLine, mode: ApplyMode): boolean {
  return !line.locked && isCovered(line, mode);
}

/** What will be applied: all that the mode covers, but what somebody took out. */
export function chosenLines(
  lines: readonly CatalogueLine[],
  mode: ApplyMode,
  left: ReadonlySet<string>,
): CatalogueLine[] {
  return lines.filter((line) => isOpen(line, mode) && !left.has(line.model));
}
