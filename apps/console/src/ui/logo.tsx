/** The gateway's own mark: one track in, switched to one of several. */
export function LogoMark({ size = 28 }: { size?: number }) {
  return <img src="/favicon.svg" width={size} height={size} alt="" />;
}
