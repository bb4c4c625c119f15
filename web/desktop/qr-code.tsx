/** An address as a code for the camera of a phone. Black on white in every theme: cameras want that, with a quiet border. */
import { encode } from 'uqr';

/** Cells around the code that stay empty, as its standard asks. */
const BORDER = 4;

/** One path for all dark cells, in units of a cell. */
export function qrPath(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}

export function QrCode({ text }: { text: string }) {
  const { size, path } = qrPath(text);
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={`Code of ${text}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
