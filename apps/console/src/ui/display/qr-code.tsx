import { encode } from 'uqr';

interface QrCodeProps {
  text: string;
  label: string;
  /** Side in pixels. */
  size: number;
}

/** Renders a QR code, dark on light in both colour schemes, because many readers cannot read it inverted. */
export function QrCode({ text, label, size }: QrCodeProps) {
  const { data, size: modules } = encode(text, { border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${modules} ${modules}`}
      shapeRendering="crispEdges"
      style={{ borderRadius: 8 }}
    >
      <rect width={modules} height={modules} fill="#ffffff" />
      <path d={dark.join('')} fill="#000000" />
    </svg>
  );
}
