/** A viewer was away while 10 MB went by: what it is sent before it shows the truth, and how soon. */
import { openStream } from '../../test/kit/stream-client.ts';
import { openSessions, startProduct, untilScreen } from '../kit/server.ts';
import type { Row } from '../model.ts';
import { median } from '../statistics.ts';

export const viewerBackRow: Row = {
  id: 'viewer-back',
  title: 'A viewer back after 10 MB missed',
  rules: [
    { id: 'bytes', title: 'sent to it', unit: 'bytes', relation: 'at most', must: 65_536 },
    { id: 'time', title: 'screen after', unit: 'ms', relation: 'at most', must: 50, stretch: 20 },
  ],
  async run(context) {
    const server = await startProduct(context);
    const script = 'stty -echo; printf ready; read go; seq 1 1300000; printf all-there; read go';
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`round ${round + 1} of ${context.rounds}`);
      const [id = ''] = await openSessions(server, 1, script);
      await untilScreen(server, id, 'ready');
      await server.ipc.write(id, '\n');
      await untilScreen(server, id, 'all-there');
      const since = performance.now();
      const viewer = await openStream(server.local.target, id, { format: 'bytes', offset: 5 });
      const snapshot = await viewer.frame('snapshot');
      context.sample('screen', 'ms', performance.now() - since);
      if (!snapshot.data.includes('all-there')) throw new Error('the screen that was sent is not the newest');
      // Behind the snapshot nothing may follow: the program is quiet.
      const text = viewer.frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
      context.sample('sent', 'bytes', text + viewer.recorder.received);
      viewer.cut();
      await server.ipc.remove(id);
    }
    context.figure('bytes', Math.max(...context.samples('sent')));
    context.figure('time', median(context.samples('screen')));
  },
};
