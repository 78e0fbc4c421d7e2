// oxlint-disable-next-line typescript/no-explicit-any -- what stand-ins for vendors are sent is read as it comes
export type Loose = any;
