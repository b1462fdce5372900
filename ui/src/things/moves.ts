// What a person may do with a piece of work: where it may go from where it is, and what must be said to bring it there.

/** What is asked before a move: what it means, and words to go with it. */
export type Question = {
  title: string;
  says: string;
  /** Points to look at before saying yes. */
  points?: string[];
  label: string;
  required?: boolean;
};

export type Move = {
  /** The state it leads to. From one state no two moves lead to the same. */
  to: string;
  /** What the button says. */
  verb: string;
  hint?: string;
  /** One key that does it while the thing is in the inspector. */
  key: string;
  danger?: boolean;
  ask?: Question;
};
