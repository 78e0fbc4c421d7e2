// oxlint-disable-next-line typescript/no-explicit-any -- what vendors and their stand-ins write has no common type
export type Loose = any;
