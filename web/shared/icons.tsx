/** Line icons, drawn for a 16 pixel grid. They repeat what a label says, so they are hidden from readers. */
import type { ReactNode } from 'react';

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const BackIcon = () => (
  <Icon>
    <path d="M10 3L5 8l5 5" strokeWidth="1.6" />
  </Icon>
);

export const NewLineIcon = () => (
  <Icon>
    <path d="M13 4v4.5H4M6.5 6L4 8.5 6.5 11" strokeWidth="1.5" />
  </Icon>
);

export const SendIcon = () => (
  <Icon>
    <path d="M8 13V3.5M4 7.5l4-4 4 4" strokeWidth="1.8" />
  </Icon>
);

export const PenIcon = () => (
  <Icon>
    <path d="M3 13l.7-2.8 7-7a1.5 1.5 0 0 1 2.1 2.1l-7 7L3 13z" />
  </Icon>
);

export const EndIcon = () => (
  <Icon>
    <path d="M8 2.5v5M4.6 4.7a5 5 0 1 0 6.8 0" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <path
      d="M4.8 8a1.3 1.3 0 1 1-2.6 0 1.3 1.3 0 0 1 2.6 0zM9.3 8a1.3 1.3 0 1 1-2.6 0 1.3 1.3 0 0 1 2.6 0zM13.8 8a1.3 1.3 0 1 1-2.6 0 1.3 1.3 0 0 1 2.6 0z"
      fill="currentColor"
      stroke="none"
    />
  </Icon>
);

export const PlusIcon = () => (
  <Icon>
    <path d="M8 3.5v9M3.5 8h9" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.25" />
    <path d="M10.25 10.25L13.5 13.5" />
  </Icon>
);

export const CommandIcon = () => (
  <Icon>
    <rect x="2" y="3" width="12" height="10" rx="2" />
    <path d="M4.75 6.25l2 1.75-2 1.75M8.5 10.25h2.75" />
  </Icon>
);

export const UpIcon = () => (
  <Icon>
    <path d="M8 12.5v-9M4.25 7.25L8 3.5l3.75 3.75" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M8 3.5v9M4.25 8.75L8 12.5l3.75-3.75" />
  </Icon>
);

export const SidebarIcon = () => (
  <Icon>
    <rect x="2" y="3" width="12" height="10" rx="2" />
    <path d="M6.25 3v10" />
  </Icon>
);

export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="2.75" />
    <path d="M8 1.75v1.5M8 12.75v1.5M1.75 8h1.5M12.75 8h1.5M3.6 3.6l1.05 1.05M11.35 11.35l1.05 1.05M12.4 3.6l-1.05 1.05M4.65 11.35L3.6 12.4" />
  </Icon>
);

export const ContrastIcon = () => (
  <Icon>
    <rect x="2.25" y="2.25" width="11.5" height="11.5" rx="2" />
    <path d="M5 11l3-6.5L11 11M6.1 8.9h3.8" />
  </Icon>
);

export const MoonIcon = () => (
  <Icon>
    <path d="M13.25 9.6A5.5 5.5 0 0 1 6.4 2.75a5.5 5.5 0 1 0 6.85 6.85z" />
  </Icon>
);

export const HalfIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.25" />
    <path d="M8 2.75v10.5a5.25 5.25 0 0 0 0-10.5z" fill="currentColor" stroke="none" />
  </Icon>
);

export const KeyboardIcon = () => (
  <Icon>
    <rect x="1.5" y="4" width="13" height="8" rx="1.75" />
    <path d="M4.25 6.75h.01M6.75 6.75h.01M9.25 6.75h.01M11.75 6.75h.01M5 9.5h6" />
  </Icon>
);

export const SlidersIcon = () => (
  <Icon>
    <path d="M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6" />
    <circle cx="10.25" cy="5" r="1.6" />
    <circle cx="5.75" cy="11" r="1.6" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.75" />
    <path d="M10.5 3.5v-.25A1.75 1.75 0 0 0 8.75 1.5h-5A1.75 1.75 0 0 0 2 3.25v5A1.75 1.75 0 0 0 3.75 10H4" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="M3.25 8.5l3.25 3.25 6.25-7.5" />
  </Icon>
);

export const PromptIcon = () => (
  <Icon>
    <path d="M3.5 4.5L7 8l-3.5 3.5M8.5 11.5h4" />
  </Icon>
);

/** A star of four points: somebody who answers. */
export const AgentIcon = () => (
  <Icon>
    <path d="M7 2.5c.5 3 1.5 4 4.5 4.5-3 .5-4 1.5-4.5 4.5-.5-3-1.5-4-4.5-4.5 3-.5 4-1.5 4.5-4.5zM12 10.5v3M10.5 12h3" />
  </Icon>
);

export const SplitRightIcon = () => (
  <Icon>
    <rect x="2" y="3" width="12" height="10" rx="2" />
    <path d="M8 3v10M10 8h2M11 7v2" />
  </Icon>
);

export const SplitDownIcon = () => (
  <Icon>
    <rect x="2" y="2.5" width="12" height="11" rx="2" />
    <path d="M2 8h12M7 10.75h2M8 9.75v2" />
  </Icon>
);

export const FolderIcon = () => (
  <Icon>
    <path d="M2 5V4a1.25 1.25 0 0 1 1.25-1.25h2.9L7.75 4.5h5A1.25 1.25 0 0 1 14 5.75v6A1.25 1.25 0 0 1 12.75 13h-9.5A1.25 1.25 0 0 1 2 11.75z" />
  </Icon>
);

/** Where somebody was lately. */
export const PlaceIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 4.75V8l2.25 1.5" />
  </Icon>
);

export const TrashIcon = () => (
  <Icon>
    <path d="M2.75 4.5h10.5M6.25 4.5V3.25a.75.75 0 0 1 .75-.75h2a.75.75 0 0 1 .75.75V4.5M4.25 4.5l.5 7.75a1.25 1.25 0 0 0 1.25 1.25h4a1.25 1.25 0 0 0 1.25-1.25l.5-7.75" />
  </Icon>
);

export const MonitorIcon = () => (
  <Icon>
    <path d="M1.75 8.5h2.5l1.75-5 3.25 9.5 2-4.5h3" />
  </Icon>
);

export const PhoneIcon = () => (
  <Icon>
    <rect x="4.5" y="1.75" width="7" height="12.5" rx="1.75" />
    <path d="M7.25 11.75h1.5" />
  </Icon>
);

/** A page that an agent shows. */
export const PageIcon = () => (
  <Icon>
    <path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h4" />
  </Icon>
);

export const PinIcon = () => (
  <Icon>
    <path d="M6 2.5h4M6.7 2.5l-.3 4.2L4.5 9h7L9.6 6.7l-.3-4.2M8 9v4.5" />
  </Icon>
);
