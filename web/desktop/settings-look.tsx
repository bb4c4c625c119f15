/** How the workspace and its terminals look in this browser. */
import type { ReactNode } from 'react';
import {
  CURSOR_STYLES,
  type CursorStyle,
  cleanFontFamily,
  FONT_SIZES,
  THEME_CHOICES,
  type ThemeChoice,
} from '../shared/preferences.ts';
import { themeInForce } from '../shared/workspace-state.ts';
import {
  TERMINAL_THEME_NAMES,
  TERMINAL_THEMES,
  type TerminalThemeChoice,
  terminalTheme,
} from '../terminal/palettes.ts';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const THEME_LABELS: Readonly<Record<ThemeChoice, string>> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};
const CURSOR_LABELS: Readonly<Record<CursorStyle, string>> = { block: 'Block', bar: 'Bar', underline: 'Underline' };

export function LookSettings() {
  const workspace = useWorkspace();
  const preferences = useWorkspaceState((state) => state.preferences);
  const { fontSize } = preferences;
  return (
    <>
      <Choices
        title="Theme"
        name="theme"
        choices={THEME_CHOICES.map((value) => ({ value, label: THEME_LABELS[value] }))}
        chosen={preferences.theme}
        onChoose={(theme) => workspace.setPreferences({ theme })}
      />
      <label className="setting-row">
        <span>Terminal colours</span>
        <select
          className="setting-field"
          value={preferences.terminalTheme}
          onChange={(event) => {
            // The options are these names and no others.
            workspace.setPreferences({ terminalTheme: event.target.value as TerminalThemeChoice });
          }}
        >
          <option value="match">As the theme</option>
          {TERMINAL_THEME_NAMES.map((name) => (
            <option key={name} value={name}>
              {TERMINAL_THEMES[name].label}
            </option>
          ))}
        </select>
      </label>
      <Preview />
      <label className="setting-row">
        <span>
          Font
          <small>A fixed-width font of this machine; empty: the usual one.</small>
        </span>
        <input
          className="setting-field"
          type="text"
          defaultValue={preferences.fontFamily}
          spellCheck={false}
          maxLength={60}
          onBlur={(event) => workspace.setPreferences({ fontFamily: cleanFontFamily(event.target.value) })}
          onKeyDown={(event) => {
            if (event.key === 'Enter')
              workspace.setPreferences({ fontFamily: cleanFontFamily(event.currentTarget.value) });
          }}
        />
      </label>
      <div className="setting-row">
        <span id="font-size-label">Text size</span>
        <fieldset className="stepper" aria-labelledby="font-size-label">
          <button
            type="button"
            className="icon-button"
            aria-label="Smaller"
            disabled={fontSize <= FONT_SIZES.least}
            onClick={() => workspace.setPreferences({ fontSize: fontSize - 1 })}
          >
            −
          </button>
          <output>{fontSize}</output>
          <button
            type="button"
            className="icon-button"
            aria-label="Larger"
            disabled={fontSize >= FONT_SIZES.most}
            onClick={() => workspace.setPreferences({ fontSize: fontSize + 1 })}
          >
            +
          </button>
        </fieldset>
      </div>
      <Choices
        title="Cursor"
        name="cursor"
        choices={CURSOR_STYLES.map((value) => ({ value, label: CURSOR_LABELS[value] }))}
        chosen={preferences.cursorStyle}
        onChoose={(cursorStyle) => workspace.setPreferences({ cursorStyle })}
      />
      <Switch
        label="Cursor blinks"
        isOn={preferences.cursorBlink}
        onChange={(cursorBlink) => workspace.setPreferences({ cursorBlink })}
      />
      <Switch
        label="Screen reader text"
        detail="Keeps a readable copy of the screen. Costs some speed."
        isOn={preferences.screenReader}
        onChange={(screenReader) => workspace.setPreferences({ screenReader })}
      />
      <Switch
        label="Draw without WebGL"
        detail="For graphics drivers that misbehave."
        isOn={preferences.renderer === 'dom'}
        onChange={(isOn) => workspace.setPreferences({ renderer: isOn ? 'dom' : 'auto' })}
      />
      <p className="hint">Kept in this browser, for all its windows. Other devices keep their own look.</p>
    </>
  );
}

interface ChoicesProps<T extends string> {
  title: string;
  name: string;
  choices: readonly { value: T; label: string }[];
  chosen: T;
  onChoose(value: T): void;
}

function Choices<T extends string>({ title, name, choices, chosen, onChoose }: ChoicesProps<T>) {
  return (
    <fieldset className="setting-row">
      <legend>{title}</legend>
      <div className="segments">
        {choices.map(({ value, label }) => (
          <label key={value} className={chosen === value ? 'segment is-chosen' : 'segment'}>
            <input type="radio" name={name} value={value} checked={chosen === value} onChange={() => onChoose(value)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  label: string;
  detail?: ReactNode;
  isOn: boolean;
  isDisabled?: boolean;
  onChange(isOn: boolean): void;
}

export function Switch({ label, detail, isOn, isDisabled = false, onChange }: SwitchProps) {
  return (
    <label className="setting-row">
      <span>
        {label}
        {detail !== undefined && <small>{detail}</small>}
      </span>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
    </label>
  );
}

const SAMPLE = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** A few words in the colours that are chosen. */
function Preview() {
  const colours = useWorkspaceState(
    (state) => terminalTheme(state.preferences.terminalTheme, themeInForce(state)).colours,
  );
  const { background, foreground, cursor } = colours;
  const of = (name: string) => String(Object.entries(colours).find(([key]) => key === name)?.[1]);
  return (
    <div className="theme-preview" style={{ background, color: foreground }} aria-hidden="true">
      <span style={{ color: of('green') }}>~/project</span> <span style={{ color: of('cyan') }}>main</span> $ make test{' '}
      <span style={{ background: cursor }}>&nbsp;</span>
      <br />
      {SAMPLE.map((name) => (
        <span key={name} style={{ color: of(name) }}>
          {name}{' '}
        </span>
      ))}
    </div>
  );
}
