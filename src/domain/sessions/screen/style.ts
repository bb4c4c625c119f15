/** Cell styles as control sequences. */
import {
  BG_DIM,
  BG_EXTENDED,
  BG_ITALIC,
  BG_OVERLINE,
  BG_PROTECTED,
  type CellStyle,
  COLOR_MASK,
  COLOR_MODE_MASK,
  COLOR_PALETTE_16,
  COLOR_PALETTE_256,
  EXT_STYLE_MASK,
  EXT_STYLE_SHIFT,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
} from './cells.ts';

const FLAGS: [word: 'fg' | 'bg', flag: number, code: string][] = [
  ['fg', FG_BOLD, '1'],
  ['bg', BG_DIM, '2'],
  ['bg', BG_ITALIC, '3'],
  ['fg', FG_BLINK, '5'],
  ['fg', FG_INVERSE, '7'],
  ['fg', FG_INVISIBLE, '8'],
  ['fg', FG_STRIKETHROUGH, '9'],
  ['bg', BG_OVERLINE, '53'],
];

/** Parameters for a colour word: `base` is 30 for text and 40 for ground. */
function colorCodes(word: number, base: 30 | 40): string {
  const value = word & 0xffffff;
  switch (word & COLOR_MODE_MASK) {
    case 0:
      return String(base + 9);
    case COLOR_PALETTE_16: {
      const index = value & 255;
      return String(index < 8 ? base + index : base + 60 + index - 8);
    }
    case COLOR_PALETTE_256:
      return `${base + 8};5;${value & 255}`;
    default:
      return `${base + 8};2;${value >>> 16};${(value >>> 8) & 255};${value & 255}`;
  }
}

function underlineColorCodes(ext: number): string {
  const word = ext & COLOR_MASK;
  const value = ext & 0xffffff;
  if (word === COLOR_MASK) return '59';
  switch (word & COLOR_MODE_MASK) {
    case 0:
      return '';
    case COLOR_PALETTE_16:
    case COLOR_PALETTE_256:
      return `58:5:${value & 255}`;
    default:
      return `58:2::${value >>> 16}:${(value >>> 8) & 255}:${value & 255}`;
  }
}

/** All parameters that lead from a reset style to this one, without the 0. */
export function styleCodes(style: CellStyle): string[] {
  const codes: string[] = [];
  for (const [word, flag, code] of FLAGS) if ((style[word] & flag) !== 0) codes.push(code);
  const underline = (style.ext & EXT_STYLE_MASK) >>> EXT_STYLE_SHIFT;
  if (underline > 1) codes.push(`4:${underline}`);
  else if ((style.fg & FG_UNDERLINE) !== 0 || underline === 1) codes.push('4');
  const underlineColor = underlineColorCodes(style.ext);
  if (underlineColor !== '') codes.push(underlineColor);
  if ((style.fg & COLOR_MODE_MASK) !== 0) codes.push(colorCodes(style.fg, 30));
  if ((style.bg & COLOR_MODE_MASK) !== 0) codes.push(colorCodes(style.bg, 40));
  return codes;
}

const FLAG_MASK_BG = ~(COLOR_MASK | BG_PROTECTED | BG_EXTENDED);

/** The sequences that lead from one style to another. Links are not part of it. */
export function styleChange(from: CellStyle, to: CellStyle): string {
  let output = '';
  const sameFlags =
    (from.fg & ~COLOR_MASK) === (to.fg & ~COLOR_MASK) &&
    (from.bg & FLAG_MASK_BG) === (to.bg & FLAG_MASK_BG) &&
    from.ext === to.ext;
  if (sameFlags) {
    const codes: string[] = [];
    if ((from.fg & COLOR_MASK) !== (to.fg & COLOR_MASK)) codes.push(colorCodes(to.fg, 30));
    if ((from.bg & COLOR_MASK) !== (to.bg & COLOR_MASK)) codes.push(colorCodes(to.bg, 40));
    if (codes.length > 0) output = `\x1b[${codes.join(';')}m`;
  } else {
    output = `\x1b[${['', ...styleCodes(to)].join(';')}m`;
  }
  // A reset also takes the protection away.
  const wasProtected = sameFlags && (from.bg & BG_PROTECTED) !== 0;
  const isProtected = (to.bg & BG_PROTECTED) !== 0;
  if (wasProtected !== isProtected) output += isProtected ? '\x1b[1"q' : '\x1b[0"q';
  return output;
}
