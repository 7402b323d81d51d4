import type { RunningTask } from "../shared/langgraph.js";
import type { Store } from "../store/home.js";
import { SealedRow } from "../store/sealed-columns.js";
import { QUESTIONS } from "../store/sqlite/ledger-statements.js";
import type { Question, QuestionKind } from "./question.js";

/** The questions that one `interrupt()` call asks. */
export interface QuestionGroup {
  readonly seq: number;
  readonly questions: readonly Question[];
  /** The slot held an answer before the question was shown, so that answer was meant for something else. */
  readonly stray: boolean;
}

interface Row {
  seq: number;
  kind: QuestionKind;
  members: string;
  stray: number;
}

/** What a task has asked so far, in the order of its `interrupt()` calls. */
export class QuestionTable {
  private readonly scope: readonly [tenant: string, threadId: string, taskId: string];

  constructor(
    private readonly store: Store,
    task: RunningTask,
  ) {
    this.scope = [store.tenant, task.threadId, task.taskId];
  }

  all(): QuestionGroup[] {
    return this.store.database
      .all<Row>(QUESTIONS.all, ...this.scope)
      .map((row) => fromRow(this.row(row.seq).open(row)));
  }

  /** Writes a group down, synced to disk; undefined when another pass of the same task took the number. */
  add(seq: number, questions: readonly Question[]): QuestionGroup | undefined {
    const { database, clock } = this.store;
    const kind = questions[0]?.kind;
    const asked = JSON.stringify(questions.map(({ place, payload }) => ({ place, payload })));
    const members = this.row(seq).seal("members", asked);
    const { changes } = database.transaction(
      () => database.run(QUESTIONS.add, ...this.scope, seq, kind, members, clock.now()),
      { durable: true },
    );
    return changes === 1 ? { seq, questions, stray: false } : undefined;
  }

  markStray(seq: number): void {
    this.store.database.run(QUESTIONS.markStray, ...this.scope, seq);
  }

  private row(seq: number): SealedRow<"question"> {
    const [, threadId, taskId] = this.scope;
    return new SealedRow(this.store, "question", [threadId, taskId, seq]);
  }
}

function fromRow({ seq, kind, members, stray }: Row): QuestionGroup {
  const questions = (JSON.parse(members) as Omit<Question, "kind">[]).map((member) => ({ kind, ...member }));
  return { seq, questions, stray: stray === 1 };
}
