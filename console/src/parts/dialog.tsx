import { Modal, type ModalProps } from 'antd'
import { type KeyboardEvent, useRef } from 'react'

/** A modal dialog whose main button is pressed by Enter, wherever the focus is; with Ctrl or ⌘ in multi-line texts. */
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

/** Focuses the first field or the main button, instead of the close button. */
function focusFirst(panel: HTMLElement | null): void {
  const active = document.activeElement
  if (!panel || (panel.contains(active) && active?.closest('.ant-modal-body, .ant-modal-footer'))) return
  const first = panel.querySelector<HTMLElement>(`.ant-modal-body :is(${FIELDS})`)
  const target = first ?? panel.querySelector<HTMLElement>('.ant-modal-footer .ant-btn-primary')
  target?.focus()
}

/** Capture runs before editors inside the dialog, which handle these keys themselves. */
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

/** Returns whether Enter applies to the dialog, rather than to the focused control. */
function submits(target: HTMLElement, isForced: boolean): boolean {
  if (isForced) return true
  if (target.closest('button, a[href], summary, textarea, [contenteditable="true"], [role="button"]')) return false
  if (target.getAttribute('role') !== 'combobox') return true
  // Enter selects the marked option of an open list, adds typed text to a list of texts, and opens a select.
  if (target.getAttribute('aria-expanded') === 'true') return false
  const isText = target.closest('.ant-select-auto-complete') !== null
  const isList = target.closest('.ant-select-multiple') !== null
  return isText || (isList && (target as HTMLInputElement).value === '')
}

/** Stops key events: the opener of a dialog, such as a grid cell, would otherwise handle them. */
function keepInside(event: KeyboardEvent): void {
  if (event.key !== 'Escape') event.stopPropagation()
}
