/** config. */

import { getConfig, listConfig, setConfig } from '../commands/config.ts';
import { editConfig } from '../commands/config-edit.ts';
import { type AddVerbs, addExamples } from './verb.ts';

const FILE = ['--file <config-file>', 'another file of the configuration, as notes or agents'] as const;

export const addConfigVerbs: AddVerbs = (program, bind) => {
  const config = program.command('config').description('settings of the server and files of the workspace');
  addExamples(config, [
    ['tuic config ls services', 'settings of remote access'],
    ['tuic config edit', 'all of them in your editor'],
  ]);
  const get = config
    .command('get')
    .description('print a setting; without a key, all as JSON')
    .argument('[key]', 'as services.server.port')
    .option(...FILE)
    .option('--json', 'print the value as JSON')
    .action(bind(getConfig));
  addExamples(get, [
    ['tuic config get mcp_port', 'one value'],
    ['tuic config get --file notifications volume', 'of another file'],
  ]);
  const set = config
    .command('set')
    .description('change settings, all of them or none; each value in the type that the setting has')
    .argument('<key-and-value...>', 'pairs; a value of - comes over standard input')
    .option(...FILE)
    .option('--text', 'take the values as text, also where something else stands')
    .option('--new', 'also keys that are not known')
    .option('--json', 'print what was set as JSON')
    .action(bind(setConfig));
  addExamples(set, [
    ['tuic config set max_sessions 80', 'a number'],
    ['tuic config set allowed_hosts \'["my.host"]\'', 'a list'],
    ['tuic config set services.auth.username me services.server.enabled true', 'two at once'],
    ['tuic hash-password | tuic config set services.auth.password_hash -', 'a value that stands in no history'],
  ]);
  const edit = config
    .command('edit')
    .description('change settings in your editor (VISUAL, EDITOR); what you typed is kept until it is stored')
    .argument('[config-file]', 'another file of the configuration')
    .option('--json', 'print what was changed as JSON')
    .action(bind(editConfig));
  addExamples(edit, [
    ['tuic config edit', 'config.json'],
    ["EDITOR='code --wait' tuic config edit notes", 'another file, in another editor'],
  ]);
  const list = config
    .command('ls')
    .description('list settings with their values')
    .argument('[key]', 'only what lies below it')
    .option(...FILE)
    .option('--files', 'list the files of the configuration')
    .option('--json', 'print them as JSON')
    .action(bind(listConfig));
  addExamples(list, [
    ['tuic config ls services.auth', 'settings of the login'],
    ['tuic config ls --files', 'what --file may name'],
  ]);
};
