import { expect, it } from 'vitest';
import { createSessionHarness } from '../../../test/kit/session-harness.ts';
import { DEADLINES } from '../../contract/index.ts';
import { createScreen } from './screen/index.ts';

it('STM-50: the turn of a program outlives its server, what it typed last is unknown', async () => {
  const harness = await createSessionHarness({ createScreen });
  try {
    const { session_id } = await harness.service.create({ agent_type: 'claude' }, { isRemote: false });
    await harness.service.write(session_id, Buffer.from('hello\r'));
    harness.process.program(session_id).print('an answer\r\n\x1b]7501;state=done\x07');
    await harness.settle();
    await harness.clock.advanceAsync(DEADLINES.checkpointQuiet * 2);
    await harness.settle();
    expect(harness.service.evidence(session_id)).toMatchObject({ turn_epoch: 1, composer: 'cleared' });
    await harness.restart();
    await harness.settle();
    expect(harness.service.evidence(session_id)).toMatchObject({
      turn_epoch: 1,
      shell_state_by: 'program_status',
      typing_refusal: 'composer_not_empty',
    });
  } finally {
    await harness.dispose();
  }
});
