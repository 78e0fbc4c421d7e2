import type { ApplyMode, CatalogueLine } from '@switchyard/contract/catalog/catalogue';

const kindsOf: Record<ApplyMode, readonly CatalogueLine['kind'][]> = {
  add: ['added'],
  update: ['added', 'changed'],
  overwrite: ['added', 'changed', 'gone'],
};

/** Returns whether the mode applies to lines of this kind. */
export function isCovered({ kind }: CatalogueLine, mode: ApplyMode): boolean {
  return kindsOf[mode].includes(kind);
}

/** Returns whether the line can be approved at all. */
export function isOpen(line: CatalogueLine, mode: ApplyMode): boolean {
  return !line.locked && isCovered(line, mode);
}

/** Manual choices by model; true for a change to apply. */
export type Choices = ReadonlyMap<string, boolean>;

/** Returns whether the change is chosen; by default all are chosen except deletions. */
export function isChosen({ model, kind }: CatalogueLine, choices: Choices): boolean {
  return choices.get(model) ?? kind !== 'gone';
}

export function chosenLines(lines: readonly CatalogueLine[], mode: ApplyMode, choices: Choices): CatalogueLine[] {
  return lines.filter((line) => isOpen(line, mode) && isChosen(line, choices));
}
