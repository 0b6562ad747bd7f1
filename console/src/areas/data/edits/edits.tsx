import { useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { createContext, type ReactNode, useContext, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Problem } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import type { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { useEntryText } from '../../../parts/entry/use-entry-text.ts'
import { useUndoKey } from '../../../parts/undo-key.ts'
import type { DataObject } from '../data-queries.ts'
import { Conflict, writeField } from './write-field.ts'

interface Step {
  /** A description of the change */
  readonly done: string
  undo(): Promise<unknown>
}

interface Edits {
  /** The rejections as text, by `cellKey`. */
  readonly faults: ReadonlyMap<string, string>
  /** A description of the change that undo would revert next. */
  readonly lastStep: string | null
  /**
   * Shows a value at once and saves it. A rejection is reverted and shown at its cell.
   * @param value undefined: removes the field from the object
   */
  save(className: string, object: DataObject, field: string, value: unknown): Promise<void>
  /** Keeps the value of a cell, and shows the valid form for the input. */
  refuse(object: DataObject, field: string, entered: Unparsed): void
  /**
   * Registers a change that can be undone.
   * @returns a function that undoes it, at most once
   */
  note(step: Step): () => Promise<void>
  /** Undoes the last change. */
  undo(): Promise<void>
}

const EditsContext = createContext<Edits | null>(null)
const MAX_STEPS = 50

export const cellKey = (objectId: string, field: string) => `${objectId} ${field}`

/** Returns the edits of this page: cells are saved one by one, and can be undone in reverse order. */
export function useEdits(): Edits {
  return useContext(EditsContext)!
}

export function EditsProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('data')
  const { message } = App.useApp()
  const { appId } = useApp()
  const queries = useQueryClient()
  const entryText = useEntryText()
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const [steps, setSteps] = useState<readonly Step[]>([])
  /** Changes of one object run sequentially. */
  const pendingWrites = useRef(new Map<string, Promise<unknown>>())

  const setFault = (key: string, fault: string | null) =>
    setFaults((now) => new Map([...[...now].filter(([one]) => one !== key), ...(fault ? [[key, fault] as const] : [])]))

  const complain = (key: string, field: string, fault: string) => {
    setFault(key, fault)
    void message.error(t('edits.refused', { field, fault }))
  }

  const forget = (step: Step) => setSteps((now) => now.filter((one) => one !== step))

  /** Undoes a step at most once. If the server was not reachable, it can be retried. */
  const takeBack = async (step: Step) => {
    forget(step)
    try {
      await step.undo()
    } catch (error) {
      if (error instanceof Problem && (error.status === 0 || error.status >= 500))
        setSteps((now) => [...now, step].slice(-MAX_STEPS))
      throw error
    }
  }

  const write = (className: string, object: DataObject, field: string, value: unknown): Promise<unknown> => {
    const before = pendingWrites.current.get(object.objectId) ?? Promise.resolve()
    const pending = before
      .catch(() => undefined)
      .then(() => writeField(queries, appId, className, object, field, value))
    pendingWrites.current.set(object.objectId, pending)
    return pending
  }

  const edits: Edits = {
    faults,
    lastStep: steps.at(-1)?.done ?? null,
    async save(className, object, field, value) {
      const key = cellKey(object.objectId, field)
      setFault(key, null)
      const saving = write(className, object, field, value)
      // It can be undone before the server has responded.
      const step: Step = {
        done: t('edits.changed', { field, id: object.objectId }),
        undo: async () => write(className, object, field, await saving),
      }
      edits.note(step)
      try {
        await saving
      } catch (error) {
        forget(step)
        complain(key, field, error instanceof Conflict ? t('edits.conflict') : (error as Error).message)
      }
    },
    refuse(object, field, entered) {
      complain(cellKey(object.objectId, field), field, entryText(entered))
    },
    note(step) {
      setSteps((now) => [...now, step].slice(-MAX_STEPS))
      return () => takeBack(step)
    },
    async undo() {
      const step = steps.at(-1)
      if (!step) return
      try {
        await takeBack(step)
        void message.success(t('edits.undone', { done: step.done }))
      } catch (error) {
        void message.error(error instanceof Conflict ? t('edits.conflict') : (error as Error).message)
      }
    },
  }
  useUndoKey(() => void edits.undo())
  return <EditsContext value={edits}>{children}</EditsContext>
}
