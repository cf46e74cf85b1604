# Completion of cairn for PowerShell. To install it, put this line into the file that $PROFILE names:
#
#     cairn completion powershell | Out-String | Invoke-Expression
#
# Nothing on the line is evaluated: it is handed to cairn as text, and what comes back is inserted as text.
Register-ArgumentCompleter -Native -CommandName 'cairn', 'cairn.exe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($length -lt $line.Length) { $line = $line.Substring(0, $length) } else { $line = $line.PadRight($length) }
    $cairn = Get-Command -Name 'cairn' -CommandType Application -TotalCount 1 -ErrorAction SilentlyContinue
    if ($null -eq $cairn) { return }
    & $cairn.Path completion powershell --line $line 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        $text = $value
        if ($text -notmatch '^[A-Za-z0-9_./:=+-]+$') { $text = "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
