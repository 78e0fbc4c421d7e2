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

/** Manual choices by model; true if the line is to be applied. */
export type Choices = ReadonlyMap<string, boolean>;

/** A price goes only if somebody chose it; all else is chosen until somebody takes it out. */
export function isChosen({ model, kind }: CatalogueLine, choices: Choices): boolean {
  return choices.get(model) ?? kind !== 'gone';
}

/** Returns the lines that will be applied. */
export function chosenLines(
  lines: readonly CatalogueLine[],
  mode: ApplyMode,
  choices: Choices,
): CatalogueLine[] {
  return lines.filter((line) => isOpen(line, mode) && isChosen(line, choices));
}
