/* bcryptprimitives.dll for a wine that has none (before 9.0): the standard
 * library of Rust takes its random numbers from ProcessPrng. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
    return SystemFunction036(data, (ULONG)length);
}
