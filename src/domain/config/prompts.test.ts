import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../contract/index.ts';
import { type ConfigFiles, createConfigFiles } from './files.ts';
import { createPromptService, type PromptService } from './prompts.ts';

let directory: string;
let files: ConfigFiles;
let prompts: PromptService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tuic-prompts-'));
  files = createConfigFiles({ configDirectory: directory, publish: () => {} });
  prompts = createPromptService({ files });
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const prompt = (id: string, text = 'Text') => ({ id, label: `Label ${id}`, text, pinned: false });

describe('library', () => {
  it('CFG-4: adds at the end, replaces in place, and loads what was saved', async () => {
    await prompts.save(prompt('a'));
    await prompts.save(prompt('b'));
    await prompts.save({ ...prompt('a', 'New\nlines \u202e'), pinned: true });
    expect(await prompts.list()).toEqual([{ ...prompt('a', 'New\nlines \u202e'), pinned: true }, prompt('b')]);
    expect(await prompts.load('a')).toMatchObject({ text: 'New\nlines \u202e', pinned: true });
  });

  it('CFG-4: an id that looks like a member of every object is an id as any other', async () => {
    await expect(prompts.load('__proto__')).rejects.toThrow('Not found: prompt "__proto__"');
    await prompts.save(prompt('__proto__'));
    expect(await prompts.load('__proto__')).toEqual(prompt('__proto__'));
  });

  it('CFG-4: saves at the same time all arrive, and members of others stay', async () => {
    await files.write('prompt-library', { mine: 1, prompts: [{ ...prompt('old'), color: 'red' }] });
    await Promise.all(['a', 'b', 'c', 'old'].map((id) => prompts.save(prompt(id, 'Saved'))));
    const { value } = await files.read('prompt-library');
    expect(value).toMatchObject({ mine: 1 });
    expect((value as { prompts: unknown[] }).prompts[0]).toEqual({ ...prompt('old', 'Saved'), color: 'red' });
    expect((await prompts.list()).map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'old']);
  });

  it('CFG-4: a writer that comes between is not overwritten', async () => {
    let hasCome = false;
    const overtaken = createPromptService({
      files: {
        read: async (name) => {
          const before = await files.read(name);
          if (!hasCome) await files.write(name, { prompts: [prompt('theirs')] });
          hasCome = true;
          return before;
        },
        write: files.write,
      },
    });
    await overtaken.save(prompt('ours'));
    expect((await prompts.list()).map(({ id }) => id)).toEqual(['theirs', 'ours']);
  });

  it('CFG-4: a writer that never stops is told of', async () => {
    let turn = 0;
    const overtaken = createPromptService({
      files: {
        read: async (name) => {
          const before = await files.read(name);
          turn += 1;
          await files.write(name, { turn });
          return before;
        },
        write: files.write,
      },
    });
    const error = await overtaken.save(prompt('ours')).catch((caught: unknown) => caught);
    expect(error instanceof AppError && error.code).toBe('precondition_failed');
  });

  it.each([
    ['{"prompts": {}}', 'prompts: must be a list'],
    ['{"prompts": [{"id": 1, "label": "", "text": ""}]}', 'prompts.0: id, label and text must be texts'],
    ['{"prompts": [', 'cannot be read'],
  ])('CFG-4: a file with %s is named, and nothing is written over it', async (content, message) => {
    const path = join(directory, 'prompt-library.json');
    await writeFile(path, content);
    await expect(prompts.list()).rejects.toThrow(message);
    await expect(prompts.save(prompt('a'))).rejects.toThrow(message);
    expect(await readFile(path, 'utf8')).toBe(content);
  });
});

describe('prompts of services', () => {
  it('CFG-4: a text replaces the built-in one; blank and null go back to it', async () => {
    const builtIn = await prompts.loadService('diff_triage');
    expect(builtIn).toMatchObject({ is_custom: false, prompt: builtIn.default_prompt });
    for (const reset of [null, ' \n']) {
      await prompts.saveService('diff_triage', 'Look at tests first');
      expect(await prompts.loadService('diff_triage')).toEqual({
        service: 'diff_triage',
        prompt: 'Look at tests first',
        default_prompt: builtIn.default_prompt,
        is_custom: true,
      });
      expect(await prompts.listServices()).toMatchObject([{ name: 'diff_triage', is_custom: true }]);
      await prompts.saveService('diff_triage', reset);
      expect(await prompts.loadService('diff_triage')).toEqual(builtIn);
    }
  });

  it('CFG-4: an unknown service is refused with those that there are', async () => {
    await expect(prompts.loadService('constructor')).rejects.toThrow('There are: diff_triage');
    await expect(prompts.saveService('other', 'x')).rejects.toThrow('There are: diff_triage');
  });
});
