/** A new agent: which one, what it is to do, where. Ctrl+Enter starts it from wherever the keyboard is. */
import './styles/launcher.css';
import { useEffect, useRef, useState } from 'react';
import type { CreateAgentSession, DetectedAgent } from '../../src/contract/index.ts';
import { isRefusal } from '../shared/failures.ts';
import { cleanText } from '../shared/labels.ts';
import type { Side } from '../shared/layout.ts';
import { readLaunch, rememberAgent, rememberPlace } from '../shared/recent-places.ts';
import { readPath } from '../shared/server-settings.ts';
import { FolderField, PlaceChoice, useFolderChoice } from './folder-field.tsx';
import { useAgents, useLaunchChoices } from './launch-choices.ts';
import { Modal } from './modal.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function AgentLauncher({ side: wantedSide }: { side: Side | undefined }) {
  const workspace = useWorkspace();
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const { value: choices } = useLaunchChoices();
  const { value: agents, problem: agentsProblem } = useAgents();
  const { picker, forget } = useFolderChoice(choices?.home);
  const [chosen, setChosen] = useState(() => readLaunch(workspace.memory).agent);
  const [task, setTask] = useState('');
  const [name, setName] = useState('');
  const [side, setSide] = useState(wantedSide);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const taskField = useRef<HTMLTextAreaElement>(null);
  const folderField = useRef<HTMLInputElement>(null);
  useEffect(() => taskField.current?.focus(), []);

  const here = agents?.filter(({ path }) => path !== null) ?? [];
  const agent = here.find((one) => one.name === chosen) ?? here[0];
  const start = async (path: string) => {
    if (agent === undefined) {
      setRefusal(agents === undefined ? 'Which agents are here is not known yet.' : 'No agent is installed here.');
      return;
    }
    if (task.trim() === '') {
      setRefusal('Say what it is to do.');
      taskField.current?.focus();
      return;
    }
    const request: CreateAgentSession = { agent_type: agent.name, prompt: task };
    if (path !== '') request.cwd = path;
    if (name.trim() !== '') Object.assign(request, { display_name: name.trim(), display_name_is_custom: true });
    setRefusal(undefined);
    const told = await workspace.launchAgent(request, side);
    setRefusal(told);
    if (told !== undefined) return;
    rememberPlace(workspace.memory, path);
    rememberAgent(workspace.memory, agent.name);
  };

  return (
    <Modal title="New agent" shape="launcher">
      <form
        className="launcher"
        onSubmit={(event) => {
          event.preventDefault();
          void start(picker.path);
        }}
        onKeyDown={(event) => {
          const isWanted = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.nativeEvent.isComposing;
          if (!isWanted) return;
          event.preventDefault();
          void start(picker.path);
        }}
      >
        <label className="launcher-option">
          <span>Agent</span>
          <select value={agent?.name ?? ''} onChange={(event) => setChosen(event.target.value)}>
            <AgentOptions agents={agents} />
          </select>
        </label>
        {agent?.name === 'codex' && <CodexNote />}
        <label className="launcher-task">
          <span>Task</span>
          <textarea
            ref={taskField}
            rows={4}
            placeholder="What it is to do. Ctrl+Enter starts it."
            aria-describedby="agent-launcher-told"
            value={task}
            onChange={(event) => {
              setRefusal(undefined);
              setTask(event.target.value);
            }}
          />
        </label>
        <div className="launcher-folder">
          <FolderField
            picker={picker}
            refusal={undefined}
            field={folderField}
            onChange={() => setRefusal(undefined)}
            onOpen={(path) => void start(path)}
            onForget={forget}
          />
        </div>
        <div className="launcher-options">
          <label className="launcher-option">
            <span>Name</span>
            <input
              type="text"
              placeholder="may stay empty"
              maxLength={200}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          <PlaceChoice side={side} onChoose={setSide} />
        </div>
        <p id="agent-launcher-told" className="launcher-told" role="alert" hidden={!(refusal ?? agentsProblem)}>
          {cleanText(refusal ?? agentsProblem ?? '')}
        </p>
        <div className="dialog-actions">
          <button type="button" className="button button-quiet" onClick={() => workspace.closeDialog()}>
            Cancel
          </button>
          <button type="submit" className="button button-primary" disabled={isCreating} title="Start (Ctrl+Enter)">
            {isCreating ? 'Starting…' : 'Start'}
          </button>
        </div>
      </form>
    </Modal>
  );
}

/** Codex is started so that it asks nobody before it acts, unless that is switched off: whoever starts it should know. */
function CodexNote() {
  const { client } = useWorkspace();
  const [skips, setSkips] = useState<boolean>();
  useEffect(() => {
    let isWanted = true;
    client.config.readFile('agents').then(
      ({ value }) => {
        if (isWanted) setSkips(readPath(value, ['agents', 'codex', 'skip_approvals']) !== false);
      },
      (error: unknown) => {
        if (!isRefusal(error)) throw error;
        // What is not known is told as what the server does by itself.
        if (isWanted) setSkips(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [client]);
  if (skips === undefined) return null;
  return (
    <p className={skips ? 'launcher-note is-warning' : 'launcher-note'} data-testid="codex-approvals">
      {skips
        ? 'Codex will act without asking: it starts with --dangerously-bypass-approvals-and-sandbox. "skip_approvals": false under codex in agents.json leaves it to its own settings.'
        : 'Codex asks by its own settings before it acts.'}
    </p>
  );
}

function AgentOptions({ agents }: { agents: readonly DetectedAgent[] | undefined }) {
  if (agents === undefined) return <option value="">Looking for agents…</option>;
  const here = agents.filter(({ path }) => path !== null);
  const others = agents.filter(({ path }) => path === null);
  return (
    <>
      {here.length === 0 && <option value="">None is installed here</option>}
      {here.map(({ name, version }) => (
        <option key={name} value={name}>
          {version === null ? name : `${name} ${cleanText(version)}`}
        </option>
      ))}
      {others.length > 0 && (
        <optgroup label="Not installed">
          {others.map(({ name }) => (
            <option key={name} value={name} disabled>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </>
  );
}
