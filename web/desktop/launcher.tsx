/** A new terminal: where it starts, what runs in it, where it stands. Enter opens it with what is chosen. */
import './styles/launcher.css';
import { useEffect, useRef, useState } from 'react';
import type { CreateSession } from '../../src/contract/index.ts';
import { cleanText, folderName } from '../shared/labels.ts';
import type { Side } from '../shared/layout.ts';
import { readLaunch, rememberPlace, rememberShell } from '../shared/recent-places.ts';
import { FolderField, PlaceChoice, useFolderChoice } from './folder-field.tsx';
import { useLaunchChoices } from './launch-choices.ts';
import { Modal } from './modal.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function Launcher({ side: wantedSide }: { side: Side | undefined }) {
  const workspace = useWorkspace();
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const { value: choices, problem: choicesProblem } = useLaunchChoices();
  const [shell, setShell] = useState(() => readLaunch(workspace.memory).shell);
  const [name, setName] = useState('');
  const [side, setSide] = useState(wantedSide);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const { picker, forget } = useFolderChoice(choices?.home);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.focus(), []);

  // A shell that this machine has no longer is not asked for.
  const shells = choices?.shells ?? [];
  const wantedShell = shells.includes(shell) ? shell : '';
  const open = async (path: string) => {
    const request: CreateSession = {};
    if (path !== '') request.cwd = path;
    if (wantedShell !== '') request.shell = wantedShell;
    if (name.trim() !== '') Object.assign(request, { display_name: name.trim(), display_name_is_custom: true });
    setRefusal(undefined);
    const told = await workspace.launch(request, side);
    if (told !== undefined) {
      setRefusal(told);
      field.current?.focus();
      return;
    }
    rememberPlace(workspace.memory, path);
    rememberShell(workspace.memory, wantedShell);
  };

  return (
    <Modal title="New terminal" shape="launcher">
      <form
        className="launcher"
        onSubmit={(event) => {
          event.preventDefault();
          void open(picker.path);
        }}
      >
        <FolderField
          picker={picker}
          refusal={refusal}
          field={field}
          onChange={() => setRefusal(undefined)}
          onOpen={(path) => void open(path)}
          onForget={forget}
        />
        <div className="launcher-options">
          <label className="launcher-option">
            <span>Shell</span>
            <select value={wantedShell} onChange={(event) => setShell(event.target.value)}>
              <option value="">
                {choices === undefined ? 'The usual one' : `The usual one: ${folderName(choices.default_shell)}`}
              </option>
              {shells.map((path) => (
                <option key={path} value={path}>
                  {cleanText(path)}
                </option>
              ))}
            </select>
          </label>
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
        {choicesProblem !== undefined && (
          <p className="launcher-told" role="alert">
            {choicesProblem}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" className="button button-quiet" onClick={() => workspace.closeDialog()}>
            Cancel
          </button>
          <button type="submit" className="button button-primary" disabled={isCreating}>
            Open
          </button>
        </div>
      </form>
    </Modal>
  );
}
