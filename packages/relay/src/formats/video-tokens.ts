const FRAMES_PER_SECOND = 24;

/** What a film comes to where it is billed by tokens. https://docs.byteplus.com/en/docs/ModelArk/1544106 */
export function videoTokens(width: number, height: number, seconds: number): number {
  return Math.ceil((width * height * FRAMES_PER_SECOND * seconds) / 1024);
}
