// Tabs as WAI-ARIA describes them: one stop for Tab, arrows move between them.

interface TabsProps {
  label: string;
  /** Names and titles. */
  tabs: [string, string][];
  chosen: string;
  onChoose: (name: string) => void;
}

export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([name]) => name === chosen);
    const to = tabs[(at + step + tabs.length) % tabs.length];
    if (!to) return;
    onChoose(to[0]);
    const list = (event.currentTarget as HTMLElement).parentElement;
    list?.querySelector<HTMLElement>(`[data-tab="${to[0]}"]`)?.focus();
    event.preventDefault();
  };
  return (
    <div class="nu-tabs" role="tablist" aria-label={label}>
      {tabs.map(([name, title]) => (
        <button
          type="button"
          key={name}
          role="tab"
          data-tab={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
          onKeyDown={move}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
