/** Ctrl-C while a program floods and the viewer reads 100 KB a second: when does the prompt show? */
import { openStream } from '../../test/kit/stream-client.ts';
import { pause } from '../kit/interleave.ts';
import { startProduct } from '../kit/server.ts';
import type { Row } from '../model.ts';
import { median } from '../statistics.ts';

const RATE = 100_000;
const PROMPT = 'prompt-shown';

export const interruptRow: Row = {
  id: 'interrupt',
  title: 'Ctrl-C during a flood, the viewer reads 100 KB/s',
  rules: [{ id: 'prompt', title: 'prompt shown after', unit: 'ms', relation: 'at most', must: 1_000, stretch: 300 }],
  async run(context) {
    const server = await startProduct(context);
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`round ${round + 1} of ${context.rounds}`);
      const script = `trap 'printf ${PROMPT}; exec cat' INT; printf ready; read go; while :; do seq 1 100000; done`;
      const { session_id } = await server.local.createSession({ shell: '/bin/bash', args: ['-c', script] });
      const viewer = await openStream(server.local.target, session_id, { format: 'bytes', offset: 0, keep: true });
      let searched = 0;
      const isShown = () => {
        const frames = viewer.frames
          .slice(searched)
          .some((frame) => frame.type === 'snapshot' && frame.data.includes(PROMPT));
        searched = Math.max(0, viewer.frames.length - 1);
        return frames || viewer.content.slice(-4_096).includes(PROMPT);
      };
      await viewer.until('the shell', () => viewer.content.includes('ready'));
      viewer.slow(RATE);
      viewer.send('\n');
      await pause(context.size(3_000, 1_500));
      const since = performance.now();
      viewer.send('\u0003');
      await viewer.until('the prompt', isShown, 60_000);
      context.sample('ours', 'ms', performance.now() - since);
      viewer.cut();
      await server.local.remove(session_id);
    }
    context.figure('prompt', median(context.samples('ours')));
  },
};
