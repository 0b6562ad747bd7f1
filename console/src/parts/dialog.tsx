import { Modal, type ModalProps } from 'antd'
import type { KeyboardEvent } from 'react'

/** A modal dialog whose main button Enter presses, wherever the focus is in it; Ctrl or ⌘ with it in texts of several lines. */
export function Dialog(props: ModalProps) {
  return <Modal {...props} wrapProps={WRAP} />
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
