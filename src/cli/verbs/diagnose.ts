/** doctor, capture, hash-password. */
import { LIMITS } from '../../contract/index.ts';
import { listCaptures, replayCaptureFile, startCapture, stopCapture } from '../commands/capture.ts';
import { examine } from '../commands/doctor.ts';
import { printPasswordHash } from '../commands/hash-password.ts';
import { type AddVerbs, addExamples, parseNumber } from './verb.ts';

export const addDiagnosticVerbs: AddVerbs = (program, bind) => {
  const doctor = program
    .command('doctor')
    .description('look at everything that is needed, and say what to do; exits with 1 when something fails')
    .option('--json', 'print the findings as JSON')
    .action(bind(examine));
  addExamples(doctor, [
    ['tuic doctor', 'also while no server runs'],
    [`tuic doctor --json | jq '.[] | select(.state != "ok")'`, 'what is not as it should be'],
  ]);
  const hash = program
    .command('hash-password')
    .description('print the hash of a password for remote access; asks for it, or reads it from standard input')
    .option('--json', 'print the hash as JSON')
    .action(bind(printPasswordHash));
  addExamples(hash, [
    ['tuic hash-password', 'asks twice and shows nothing'],
    ['tuic hash-password < file | tuic config set services.auth.password_hash -', 'and sets it'],
  ]);
  const capture = program.command('capture').description('record what really comes over a terminal, and replay it');
  addExamples(capture, [['tuic capture start tu-1', 'before the thing happens that you want to see']]);
  const start = capture
    .command('start')
    .description('record a session, or all of them, into fresh files; whatever is typed is in them')
    .argument('[session]', 'alias, session id or identity')
    .option('--json', 'print what is recorded as JSON')
    .action(bind(startCapture));
  addExamples(start, [
    ['tuic capture start tu-1', 'one session'],
    ['tuic capture start', 'all sessions'],
  ]);
  const stop = capture
    .command('stop')
    .description('record nothing any more; the files stay')
    .option('--json', 'print what was recorded as JSON')
    .action(bind(stopCapture));
  addExamples(stop, [['tuic capture stop', 'then "tuic capture ls" shows the files']]);
  const list = capture
    .command('ls')
    .description('list the recorded files, also while no server runs')
    .option('--json', 'print them as JSON')
    .action(bind(listCaptures));
  addExamples(list, [['tuic capture ls', 'with what is being recorded']]);
  const replay = capture
    .command('replay')
    .description('play a recorded file into a screen and print what it shows at the end')
    .argument('<capture>', 'a file, or any name of a session that was recorded')
    .option('--rows <number>', "height of the terminal (the session's, else 24)", parseNumber(1, LIMITS.rowsMax))
    .option('--cols <number>', "width of the terminal (the session's, else 80)", parseNumber(1, LIMITS.colsMax))
    .option('--json', 'print lines, screen and title as JSON')
    .action(bind(replayCaptureFile));
  addExamples(replay, [
    ['tuic capture replay tu-1', 'the capture of a session'],
    ['tuic capture replay --rows 50 --cols 200 old.tcap', 'a file, in the size that its terminal had'],
  ]);
};
