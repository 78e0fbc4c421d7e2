/** 0.12 is 12 % more than before; undefined where there is nothing to compare with. */
export function relativeChange(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined || before === 0 ? undefined : now / before - 1;
}
