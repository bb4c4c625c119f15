/** One page of colours, styles, wide letters and emoji: for the screenshots and for comparing screens. */
const csi = '\x1b[';
const rows = ['256 colours, true colour, styles, CJK and emoji', ''];
for (let row = 0; row < 6; row++) {
  let text = '';
  for (let column = 0; column < 36; column++) text += `${csi}48;5;${16 + row * 36 + column}m  `;
  rows.push(`${text}${csi}0m`);
}
let basic = '';
for (let index = 0; index < 16; index++) basic += `${csi}38;5;${index}m${String(index).padStart(3)} `;
rows.push(`${basic}${csi}0m`);
let grey = '';
for (let index = 232; index < 256; index++) grey += `${csi}48;5;${index}m   `;
rows.push(`${grey}${csi}0m`);
let truecolour = '';
for (let index = 0; index < 72; index++) {
  const part = index / 71;
  const red = Math.round(255 * part);
  const blue = Math.round(255 * (1 - part));
  truecolour += `${csi}48;2;${red};${Math.round(255 * Math.sin(part * Math.PI))};${blue}m `;
}
rows.push(`${truecolour}${csi}0m`);
rows.push(
  [
    `${csi}1mbold${csi}0m`,
    `${csi}2mdim${csi}0m`,
    `${csi}3mitalic${csi}0m`,
    `${csi}4munderline${csi}0m`,
    `${csi}7minverse${csi}0m`,
    `${csi}9mstruck${csi}0m`,
    `${csi}1;3;4;31mall in red${csi}0m`,
  ].join('  '),
);
rows.push(
  '',
  '漢字とかな  한국어  中文字符  全角ＡＢＣ',
  '┌──────┬──────┐  ╭──────╮',
  '│ 日本 │ box  │  │ 🚀 go│',
  '└──────┴──────┘  ╰──────╯',
);
rows.push('😀 🎉 🐧 ❤ ✓ ✗ → ∑ ≤ ≥ ½  é ü ñ å', '');
process.stdout.write(rows.join('\n'));
if (process.argv[2] === '--stay') setInterval(() => {}, 1_000_000);
