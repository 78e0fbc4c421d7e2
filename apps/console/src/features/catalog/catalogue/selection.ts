import type { ApplyMode, CatalogueLine } from '@switchyard/contract/catalog/catalogue';

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

/** What somebody said of a model by hand; true: it is to be applied. */
export type Choices = ReadonlyMap<string, boolean>;

/** A price goes only if somebody chose it; all else is chosen until somebody takes it out. */
export function isChosen({ model, kind }: CatalogueLine, choices: Choices): boolean {
  return choices.get(model) ?? kind !== 'gone';
}

/** What will be applied. */
export function chosenLines(
  lines: readonly CatalogueLine[],
  mode: ApplyMode,
  choices: Choices,
): CatalogueLine[] {
  return lines.filter((line) => isOpen(line, mode) && isChosen(line, choices));
}
