import { Modal, type ModalProps } from 'antd'
import { type KeyboardEvent, useRef } from 'react'

/** A modal dialog whose main button Enter presses, wherever the focus is in it; Ctrl or ⌘ with it in texts of several lines. */
export function Dialog({ afterOpenChange, ...props }: ModalProps) {
  const panel = useRef<HTMLDivElement>(null)
  return (
    <Modal
      {...props}
      wrapProps={WRAP}
      panelRef={panel}
      afterOpenChange={(open) => {
        if (open) focusFirst(panel.current)
        afterOpenChange?.(open)
      }}
    />
  )
}

const FIELDS = 'input:not([type="hidden"], [type="file"], :disabled), textarea:not(:disabled), [contenteditable="true"]'

/** The focus begins in the first field, or on the main button, instead of the cross that closes the dialog. */
function focusFirst(panel: HTMLElement | null): void {
  const active = document.activeElement
  if (!panel || (panel.contains(active) && active?.closest('.ant-modal-body, .ant-modal-footer'))) return
  const first = panel.querySelector<HTMLElement>(`.ant-modal-body :is(${FIELDS})`)
  const target = first ?? panel.querySelector<HTMLElement>('.ant-modal-footer .ant-btn-primary')
  target?.focus()
}

/** Capture comes before editors inside the dialog, which have commands of their own for these keys. */
const WRAP = { onKeyDownCapture: submitAtEnter, onKeyDown: keepInside }

function submitAtEnter(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: dialog, target, nativeEvent } = event
  if (event.key !== 'Enter' || nativeEvent.isComposing || !(target instanceof HTMLElement)) return
  // Dialogs above this one are outside of it in the document.
  if (!dialog.contains(target) || !submits(target, event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.stopPropagation()
  dialog.querySelector<HTMLButtonElement>('.ant-modal-footer .ant-btn-primary')?.click()
}

/** Whether Enter is for the dialog, rather than for the control that has the focus. */
function submits(target: HTMLElement, isForced: boolean): boolean {
  if (isForced) return true
  if (target.closest('button, a[href], summary, textarea, [contenteditable="true"], [role="button"]')) return false
  if (target.getAttribute('role') !== 'combobox') return true
  // Enter chooses what is marked in a list that is open, adds what was typed to a list of texts, and opens a choice.
  if (target.getAttribute('aria-expanded') === 'true') return false
  const isText = target.closest('.ant-select-auto-complete') !== null
  const isList = target.closest('.ant-select-multiple') !== null
  return isText || (isList && (target as HTMLInputElement).value === '')
}

/** What a dialog is opened from, such as a cell of the grid, would take the keys for its own. */
function keepInside(event: KeyboardEvent): void {
  if (event.key !== 'Escape') event.stopPropagation()
}
