const OFFSET_MS = 8 * 3600 * 1000;

/** As Alipay writes times, which is China's. @param ms UTC */
export function gatewayTime(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}
